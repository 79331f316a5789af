// A form in a dialog: its fields, the fault of the last try, a button that closes it and one that sends it.
import type {ComponentChildren, VNode} from 'preact';
import {useEffect, useRef} from 'preact/hooks';
import type {Fault} from '../service/client';
import {FaultBox} from '../shell/states';
import {Dialog} from './dialog';
import {type Act, type Labels, useSending} from './sending';

export function DialogForm({
  title,
  keepText = 'Cancel',
  actText,
  look = 'primary',
  isReady = true,
  act,
  labels,
  faultBox = (fault) => <FaultBox fault={fault} />,
  others,
  onClose,
  children,
}: {
  readonly title: string;
  /** Words of the button that changes nothing. */
  readonly keepText?: string;
  readonly actText: string;
  readonly look?: 'primary' | 'danger';
  /** What the form needs is filled in. */
  readonly isReady?: boolean;
  readonly act: Act;
  readonly labels?: Labels;
  readonly faultBox?: (fault: Fault) => VNode;
  /** More buttons. */
  readonly others?: ComponentChildren;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const {fault, isBusy, send} = useSending(act, labels);
  const told = useRef<HTMLDivElement>(null);
  // A long form scrolls, and its fault may be beyond the edge.
  useEffect(() => told.current?.scrollIntoView({block: 'nearest'}), [fault]);
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) send();
        }}
      >
        {children}
        <div ref={told}>{fault !== undefined && faultBox(fault)}</div>
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            {keepText}
          </button>
          {others}
          <button type="submit" class={`button ${look}`} disabled={isBusy || !isReady} aria-busy={isBusy}>
            {actText}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
