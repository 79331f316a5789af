// A part that the first view can do without: its script is loaded when it is shown for the first time.
import {signal} from '@preact/signals';
import type {ComponentChild, FunctionComponent} from 'preact';
import {useEffect} from 'preact/hooks';
import {FaultBox} from './states';

const notLoaded = {
  code: 'unreachable',
  message: 'this part of the page did not load: the service is not reached, or has a newer version',
  status: 0,
};

/** `waiting` is shown until the script is here. A load that failed is tried again by a button. */
export function later<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
  waiting: ComponentChild = null,
): FunctionComponent<Props> {
  const loaded = signal<FunctionComponent<Props> | 'failed' | undefined>(undefined);
  const begin = (): void => {
    loaded.value = undefined;
    load().then(
      (Part) => (loaded.value = Part),
      () => (loaded.value = 'failed'),
    );
  };
  return function Later(props: Props) {
    const Part = loaded.value;
    useEffect(() => {
      if (Part === undefined) begin();
    }, []);
    if (Part === 'failed') return <FaultBox fault={notLoaded} onAgain={begin} />;
    return <>{Part === undefined ? waiting : <Part {...props} />}</>;
  };
}
