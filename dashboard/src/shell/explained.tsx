// A number that a click explains: how it is counted, and who or what is behind it. The dialog is the shell's.
import {signal} from '@preact/signals';
import {isShared} from '../address/base';
import type {Explanation} from '../explained/explanation';

/** Makes the explanation of a number, once somebody asks for it. */
export type Behind = () => Explanation | Promise<Explanation>;

/** The number that is being explained. A shared report explains none: it has no lists. */
export const explaining = signal<Behind | undefined>(undefined);

export function Explained({
  text,
  of,
  behind,
}: {
  /** The number as it is shown. */
  readonly text: string;
  /** Words for what is counted, for screen readers. */
  readonly of: string;
  readonly behind: Behind;
}) {
  if (isShared) return <>{text}</>;
  return (
    <button
      type="button"
      class="explained"
      title="What is behind it"
      aria-label={`${text}, ${of}: what is behind it`}
      onClick={() => (explaining.value = behind)}
    >
      {text}
    </button>
  );
}
