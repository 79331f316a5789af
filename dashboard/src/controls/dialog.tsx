// A modal dialog of the browser's own: it keeps the focus, closes by Escape, and gives the focus back.
import type {ComponentChildren} from 'preact';
import {useEffect, useId, useRef} from 'preact/hooks';
import './dialog.css';

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
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const opener = document.activeElement as HTMLElement | null;
    dialog.current!.showModal();
    return () => opener?.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
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
