import {type FunctionComponent, render} from 'preact';
import {useLayoutEffect} from 'preact/hooks';
import {LocationProvider, useLocation} from 'preact-iso';
import './design/tokens.css';
import './design/base.css';
import './design/layout.css';
import './design/parts.css';
import './design/controls.css';
import {dashboardPath, isShared, pageAddress} from './address/base';
import {Overview} from './pages/overview/overview';
import {isSignedOut} from './service/client';
import {may, session} from './service/session';
import {begin} from './service/start';
import {Guard, later, MissedAction} from './shell/later';
import {type Place, places} from './shell/places';
import {Shell} from './shell/shell';
import {Loading, Refused} from './shell/states';
import {applyTheme} from './shell/theme-button';

const SignIn = later(() => import('./pages/sign-in/sign-in').then(({SignIn: Page}) => Page), <Loading />);

const NoPage = later(() => import('./pages/no-page/no-page').then(({NoPage: Page}) => Page), <Loading />);

const SharedReport = later(() => import('./share/share').then(({SharedReport: Page}) => Page), <Loading />);

function App() {
  const {path} = useLocation();
  const isSigningIn = path === pageAddress('/sign-in');
  const isOut = session.value === null || isSignedOut.value;
  if (isSigningIn || isOut) return <SignIn />;
  if (session.value === undefined) return <Loading />;
  const place = places.find((one) => pageAddress(one.path) === path);
  return <Shell>{place === undefined ? <NoPage /> : <PlacePage key={place.path} place={place} />}</Shell>;
}

/** Key: the place, so that nothing of a page is left when another one comes. */
function PlacePage({place}: {readonly place: Place}) {
  const {wasPush} = useLocation() as {wasPush?: boolean}; // Its types leave it out.
  useLayoutEffect(() => {
    if (wasPush) scrollTo(0, 0);
  }, []);
  const Page = pageOf(place);
  return <Guard page={place.name}>{may(place.role) ? <Page /> : <Refused needed={place.role} />}</Guard>;
}

const pages = new Map<Place, FunctionComponent>();

/** Made once a place: another component would mount the page again. */
function pageOf(place: Place): FunctionComponent {
  const {script, name} = place;
  const known = pages.get(place) ?? (script === undefined ? Overview : later(script, <Loading lines={6} />, name));
  pages.set(place, known);
  return known;
}

applyTheme();
if (!isShared) void begin();
const frame = document.getElementById('app')!;
frame.replaceChildren(); // What stood there while this script was loaded.
render(
  <LocationProvider scope={dashboardPath}>
    {isShared ? <SharedReport /> : <App />}
    <MissedAction />
  </LocationProvider>,
  frame,
);
