// A button and what it opens beside it. Escape, a click elsewhere and leaving it by the keyboard close it; the focus goes back.
import type {ComponentChildren, RefObject} from 'preact';
import {useEffect, useId, useRef, useState} from 'preact/hooks';
import './popover.css';

export interface PopoverHandle {
  readonly open: () => void;
}

export function Popover({
  label,
  title,
  button,
  look = 'button',
  align = 'end',
  handle,
  children,
}: {
  /** Name of the button and of the panel, for screen readers. */
  readonly label: string;
  readonly title?: string;
  readonly button: ComponentChildren;
  readonly look?: 'button' | 'quiet' | 'pill';
  /** Edge of the button at which the panel stays. */
  readonly align?: 'start' | 'end';
  /** Opens it from elsewhere, such as by a key. */
  readonly handle?: RefObject<PopoverHandle | undefined>;
  readonly children: (close: () => void) => ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const panelId = useId();
  const close = (): void => {
    setOpen(false);
    opener.current?.focus();
  };
  useEffect(() => {
    if (!isOpen) return undefined;
    frame.current?.querySelector<HTMLElement>('[data-first-focus]')?.focus();
    const leave = ({target}: Event): void => {
      if (!frame.current?.contains(target as Node)) setOpen(false);
    };
    // The focus may have gone with a control that is no longer there: then no key reaches the panel itself.
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || document.activeElement !== document.body) return;
      event.preventDefault();
      close();
    };
    document.addEventListener('pointerdown', leave);
    document.addEventListener('focusin', leave);
    document.addEventListener('keydown', press);
    return () => {
      document.removeEventListener('keydown', press);
      document.removeEventListener('pointerdown', leave);
      document.removeEventListener('focusin', leave);
    };
  }, [isOpen]);
  if (handle !== undefined) handle.current = {open: () => setOpen(true)};
  const press = (event: KeyboardEvent): void => {
    if (!isOpen) return;
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the controls in it
    <div class="popover" ref={frame} onKeyDown={press}>
      <button
        ref={opener}
        type="button"
        class={look === 'pill' ? 'freshness' : look}
        title={title}
        aria-label={look === 'quiet' ? label : undefined}
        aria-expanded={isOpen}
        aria-controls={isOpen ? panelId : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {button}
      </button>
      {isOpen && (
        <section class={`panel ${align}`} id={panelId} aria-label={label}>
          {children(close)}
        </section>
      )}
    </div>
  );
}
