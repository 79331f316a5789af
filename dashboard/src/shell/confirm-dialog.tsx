// A question before something that cannot be undone: what will happen, one button that keeps things, one that does it.
import type {ComponentChildren} from 'preact';
import {DialogForm} from '../controls/dialog-form';
import type {Act} from '../controls/sending';

export function ConfirmDialog({
  act,
  onDone,
  ...props
}: {
  readonly title: string;
  readonly keepText?: string;
  readonly actText: string;
  readonly act: Act;
  readonly onDone: () => void;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  return (
    <DialogForm
      keepText="Keep it"
      look="danger"
      {...props}
      act={async () => {
        const fault = await act();
        if (fault === undefined) onDone();
        return fault;
      }}
    />
  );
}
