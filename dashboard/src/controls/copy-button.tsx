// Copies a text, and says that it did. Over plain http beyond loopback browsers have no clipboard API: then the text is put
// into a field and copied by the older command.
import {useEffect, useState} from 'preact/hooks';
import {Icon} from '../shell/icon';

export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Refused: the older way may still work.
    }
  }
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'visually-hidden';
  // A modal dialog makes everything outside of it inert.
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  const focused = document.activeElement as HTMLElement | null;
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  focused?.focus();
  return isCopied;
}

export function CopyButton({
  text,
  label = 'Copy',
  what,
}: {
  readonly text: string;
  readonly label?: string;
  /** Words for screen readers, where the label alone does not say what is copied. */
  readonly what?: string;
}) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready');
  useEffect(() => {
    if (state === 'ready') return undefined;
    const timer = setTimeout(() => setState('ready'), 2_000);
    return () => clearTimeout(timer);
  }, [state]);
  const words = {ready: label, copied: 'Copied', failed: 'Select it and copy by hand'}[state];
  return (
    <button
      type="button"
      class="button"
      onClick={async () => setState((await copyText(text)) ? 'copied' : 'failed')}
      aria-label={what === undefined || state !== 'ready' ? undefined : what}
    >
      <Icon name={state === 'copied' ? 'Check' : 'Copy'} />
      <span aria-live="polite">{words}</span>
    </button>
  );
}
