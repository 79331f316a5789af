// A button of a row of a list: an icon, with its words for screen readers and on hover.
import {Icon} from './icon';

export function RowTool({
  label,
  icon,
  onClick,
}: {
  readonly label: string;
  readonly icon: Parameters<typeof Icon>[0]['name'];
  /** Undefined: it cannot be done now. */
  readonly onClick: (() => void) | undefined;
}) {
  return (
    <button
      type="button"
      class="quiet"
      title={label}
      aria-label={label}
      disabled={onClick === undefined}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
