// A modal dialog of the browser's own: it keeps the focus, closes by Escape, and gives the focus back.
import type {ComponentChildren} from 'preact';
import {useId, useState} from 'preact/hooks';
import './dialog.css';

/**
 * The reference of one dialog. It opens with its element, not in an effect after the next paint: until then a key that
 * somebody presses would go to the page beneath. The browser gives the focus back when it closes.
 */
function showing(): (dialog: HTMLDialogElement | null) => void {
  let shown: HTMLDialogElement | null = null;
  return (dialog) => {
    shown?.close();
    shown = dialog;
    shown?.showModal();
  };
}

export function Dialog({
  title,
  onClose,
  mayClose = () => true,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  /** Asked before Escape closes it. */
  readonly mayClose?: () => boolean;
  readonly children: ComponentChildren;
}) {
  const [show] = useState(showing);
  const titleId = useId();
  return (
    <dialog
      ref={show}
      class="dialog"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        if (mayClose()) onClose();
      }}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  );
}
