import {render} from 'preact';
import {useEffect} from 'preact/hooks';
import {ErrorBoundary, LocationProvider, Route, Router, useLocation} from 'preact-iso';
import './design/tokens.css';
import './design/base.css';
import './design/layout.css';
import './design/parts.css';
import './design/controls.css';
import {dashboardPath, isShared, pageAddress} from './address/base';
import {hasEvents, lookForEvents} from './service/any-events';
import {isSignedOut} from './service/client';
import {readServiceState} from './service/service-state';
import {may, readSession, session} from './service/session';
import {later} from './shell/later';
import {beginningPath, firstPath, type Place, places} from './shell/places';
import {Shell} from './shell/shell';
import {Loading, Refused} from './shell/states';
import {applyTheme} from './shell/theme-button';

const SignIn = later(() => import('./pages/sign-in/sign-in').then(({SignIn: Page}) => Page), <Loading />);

const SharedReport = later(() => import('./pages/share/share').then(({SharedReport: Page}) => Page), <Loading />);

function App() {
  const {path} = useLocation();
  const isSigningIn = path === pageAddress('/sign-in');
  const isOut = session.value === null || isSignedOut.value;
  if (isSigningIn || isOut) return <SignIn />;
  if (session.value === undefined) return <Loading />;
  return (
    <Shell>
      <ErrorBoundary>
        <Router>
          {places.map((place) => (
            <Route key={place.path} path={pageAddress(place.path)} component={guarded(place)} />
          ))}
          <Route default component={ToFirst} />
        </Router>
      </ErrorBoundary>
    </Shell>
  );
}

const guardedPages = new Map<Place, () => preact.JSX.Element>();

/** Component of a place, made once: another one would mount the page again. */
function guarded(place: Place): () => preact.JSX.Element {
  const {Page, role} = place;
  const known = guardedPages.get(place) ?? (() => (may(role) ? <Page /> : <Refused needed={role} />));
  guardedPages.set(place, known);
  return known;
}

function ToFirst() {
  const {route} = useLocation();
  const wanted = hasEvents.value === false ? beginningPath : firstPath;
  const first = places.find((place) => place.path === wanted && may(place.role)) ?? places.find(({role}) => may(role));
  useEffect(() => {
    if (hasEvents.value === undefined) void lookForEvents().finally(() => (hasEvents.value ??= true));
    else if (first !== undefined) route(pageAddress(first.path), true);
  }, [first, hasEvents.value]);
  return <Loading />;
}

applyTheme();
if (!isShared) void readSession().then(readServiceState);
render(
  <LocationProvider scope={dashboardPath}>{isShared ? <SharedReport /> : <App />}</LocationProvider>,
  document.getElementById('app')!,
);
