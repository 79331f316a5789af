// A change that is sent to the service: one request at a time, and the fault of the last one.
import {useState} from 'preact/hooks';
import type {Fault} from '../service/client';

/** Resolves with the fault that is shown; undefined: it is done. */
export type Act = () => Promise<Fault | undefined>;

/** Labels of a form by the field of the API that each fills. */
export type Labels = Readonly<Record<string, string>>;

export interface Sending {
  readonly fault: Fault | undefined;
  readonly isBusy: boolean;
  readonly send: () => void;
}

export function useSending(act: Act, labels: Labels = {}): Sending {
  const [fault, setFault] = useState<Fault>();
  const [isBusy, setBusy] = useState(false);
  const send = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setFault(undefined);
    const failed = await act();
    setFault(failed && labelled(failed, labels));
    setBusy(false);
  };
  return {fault, isBusy, send: () => void send()};
}

/** The fault with the label of the field at fault in place of the API's name for it. */
export function labelled(fault: Fault, labels: Labels): Fault {
  const {field, ...rest} = fault;
  const label = field === undefined ? undefined : labels[field];
  if (label === undefined || !fault.message.startsWith(field!)) return fault;
  return {...rest, message: `\u201c${label}\u201d${fault.message.slice(field!.length)}`};
}
