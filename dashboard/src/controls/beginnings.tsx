// What an empty list offers: a few beginnings, each of which opens the form with its fields filled in.
import {Icon} from '../shell/icon';
import './beginnings.css';

export function Beginnings<Step extends {readonly title: string}>({
  label,
  steps,
  onChoose,
}: {
  readonly label: string;
  readonly steps: readonly Step[];
  readonly onChoose: (step: Step) => void;
}) {
  return (
    <ul class="beginnings" aria-label={label}>
      {steps.map((step) => (
        <li key={step.title}>
          <button type="button" class="button" onClick={() => onChoose(step)}>
            <Icon name="Plus" />
            {step.title}
          </button>
        </li>
      ))}
    </ul>
  );
}
