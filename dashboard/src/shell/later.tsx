// A part that the first view can do without: its script is loaded when it is shown for the first time.
//   LT1. A load that failed is not kept: the part is loaded again when it is shown next, by a button, and once the service answers.
//   LT2. The place of a part never shows anything else: what waits, the part, or why it did not load.
//   LT3. A part may ask the service: while it is loading, the questions of the page wait for its own.
import {type Signal, signal} from '@preact/signals';
import {Component, type ComponentChild, type ComponentChildren, type FunctionComponent} from 'preact';
import {useEffect, useLayoutEffect} from 'preact/hooks';
import {type NotLoaded, whyNotLoaded} from '../service/page-version';
import {holdQuestions} from '../service/questions';
import {Head} from './head';
import {FaultBox} from './states';

const lookEveryMs = 5_000;

const messages: Readonly<Record<NotLoaded | 'broken', string>> = {
  unreachable: 'this part did not load: check your connection, and whether the service runs. It comes when it answers',
  newer_version: 'the service was renewed since you opened this page, and this part of it is gone',
  not_loaded: 'the service has it, and this browser did not load it',
  broken: 'this page met an error of its own, and shows nothing rather than something wrong',
};

/** Addresses of styles that did not load. What imports a script asks for its styles once, so they are asked for here. LT1 */
const lostStyles = new Set<string>();
addEventListener(
  'error',
  ({target}) => {
    if (!(target instanceof HTMLLinkElement) || target.rel !== 'stylesheet') return;
    lostStyles.add(target.href);
    target.remove();
  },
  true,
);

const loadStyle = (href: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const link = Object.assign(document.createElement('link'), {rel: 'stylesheet', crossOrigin: '', href});
    link.onload = () => {
      lostStyles.delete(href);
      resolve();
    };
    link.onerror = reject;
    document.head.append(link);
  });

/** What the script exports, or why it is not here. */
const loaded = <Module extends object>(script: () => Promise<Module>): Promise<Module | NotLoaded> =>
  Promise.all([...lostStyles].map(loadStyle))
    .then(script)
    .catch(whyNotLoaded);

type Loaded<Part> = Signal<Part | NotLoaded | undefined>;

function load<Part extends object>(into: Loaded<Part>, script: () => Promise<Part>): void {
  into.value = undefined;
  void loaded(script).then((is) => (into.value = is));
}

/** `waiting` is shown until the script is here. `page`: title of a part that is a whole page. */
export function later<Props extends object>(
  script: () => Promise<FunctionComponent<Props>>,
  waiting: ComponentChild = null,
  page?: string,
): FunctionComponent<Props> {
  const state: Loaded<FunctionComponent<Props>> = signal(undefined);
  const begin = (): void => load(state, script);
  return function Later(props: Props) {
    const Part = state.value;
    const isLoading = Part === undefined;
    useLayoutEffect(() => {
      if (typeof Part !== 'function') begin(); // LT1
    }, []);
    useLayoutEffect(() => (isLoading ? holdQuestions() : undefined), [isLoading]); // LT3
    if (typeof Part === 'string')
      return (
        <>
          {page !== undefined && <Head title={page} />}
          <NotLoadedBox why={Part} onAgain={begin} />
        </>
      );
    return <>{isLoading ? waiting : <Part {...props} />}</>;
  };
}

function NotLoadedBox({why, onAgain}: {readonly why: NotLoaded; readonly onAgain: () => void}) {
  const isAway = why === 'unreachable';
  useEffect(() => {
    const look = async (): Promise<void> => ((await whyNotLoaded()) === 'unreachable' ? undefined : onAgain());
    const timer = isAway ? setInterval(() => void look(), lookEveryMs) : undefined;
    return () => clearInterval(timer);
  }, [why]);
  return <Box why={why} onAgain={isAway ? onAgain : undefined} />;
}

/** Without `onAgain` it offers a reload. */
function Box({why, onAgain}: {readonly why: keyof typeof messages; readonly onAgain?: () => void}) {
  return (
    <FaultBox
      fault={{code: why, message: messages[why], status: 0}}
      onAgain={onAgain ?? (() => location.reload())}
      again={onAgain ? undefined : 'Reload'}
    />
  );
}

// -- Actions -----------------------------------------------------------------------------------------------------------

/** The click whose script did not load, until it is repeated or put away. */
const missed = signal<{readonly why: NotLoaded; readonly again: () => void} | undefined>(undefined);

/** Loads the script that a click needs, and runs it. The foot of the page says which load failed. */
export async function act<Module extends object>(
  script: () => Promise<Module>,
  use: (module: Module) => unknown,
): Promise<void> {
  missed.value = undefined;
  const module = await loaded(script);
  if (typeof module === 'string') missed.value = {why: module, again: () => void act(script, use)};
  else await use(module);
}

/** Where `act` says what did not load. */
export function MissedAction() {
  if (missed.value === undefined) return null;
  const {why, again} = missed.value;
  return (
    <div class="missed">
      <Box why={why} onAgain={why === 'unreachable' ? again : undefined} />
    </div>
  );
}

// -- Errors ------------------------------------------------------------------------------------------------------------

/** A page that throws shows that. Without this, what the page before drew would stay under the new address. LT2 */
export class Guard extends Component<{readonly page: string; readonly children: ComponentChildren}, {isBroken?: true}> {
  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({isBroken: true});
  }

  override render() {
    if (!this.state.isBroken) return <>{this.props.children}</>;
    return (
      <>
        <Head title={this.props.page} />
        <Box why="broken" />
      </>
    );
  }
}
