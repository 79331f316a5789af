// A question before something that cannot be undone: what will happen, one button that keeps things, one that does it.
import type {ComponentChildren} from 'preact';
import {useState} from 'preact/hooks';
import {Dialog} from '../controls/dialog';
import type {Fault} from '../service/client';
import {FaultBox} from './states';

export function ConfirmDialog({
  title,
  keepText = 'Keep it',
  actText,
  act,
  onDone,
  onClose,
  children,
}: {
  readonly title: string;
  readonly keepText?: string;
  readonly actText: string;
  /** Resolves with the fault that the dialog shows; undefined: it is done. */
  readonly act: () => Promise<Fault | undefined>;
  readonly onDone: () => void;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const [fault, setFault] = useState<Fault>();
  const confirm = async (): Promise<void> => {
    const failed = await act();
    if (failed === undefined) onDone();
    else setFault(failed);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {fault !== undefined && <FaultBox fault={fault} />}
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          {keepText}
        </button>
        <button type="button" class="button danger" onClick={() => void confirm()}>
          {actText}
        </button>
      </div>
    </Dialog>
  );
}
