// Why an edit was not saved. What somebody else saved first can be loaded into the form.
import type {Fault} from '../service/client';
import {Icon} from './icon';
import {FaultBox} from './states';

interface SaveFaultProps {
  readonly fault: Fault;
  /** What is edited, in a word. */
  readonly noun: string;
  /** Loads what the answer has beside the fault: the definition as it is now. */
  readonly onLoad: (answer: NonNullable<Fault['more']>) => void;
}

export function SaveFault({fault, noun, onLoad}: SaveFaultProps) {
  const {code, more} = fault;
  if (code !== 'changed_meanwhile' || more === undefined) return <FaultBox fault={fault} />;
  return (
    <div class="state-box fault" role="alert">
      <strong>
        <Icon name="warning" />
        Somebody else changed this {noun} meanwhile
      </strong>
      <p>Your changes are not saved. Load the {noun} as it is now, and make them again: what you typed is lost then.</p>
      <button type="button" class="button" onClick={() => onLoad(more)}>
        Load it as it is now
      </button>
    </div>
  );
}
