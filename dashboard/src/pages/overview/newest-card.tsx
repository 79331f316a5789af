// Card of the newest events as they arrive; for a role that may not see single events, of the newest annotations.
import {annotatedText} from '../../charts/annotated';
import {annotations, annotationsFault, readAnnotations} from '../../service/annotations';
import {may} from '../../service/session';
import {Card} from '../../shell/card';
import {Empty, FaultBox, Loading} from '../../shell/states';
import {Arrivals} from './arrivals';
import './newest-card.css';

const shownMax = 6;

export function NewestCard() {
  return may('analyst') ? <Arrivals /> : <NewestAnnotations />;
}

/** The charts of the page ask for them. */
function NewestAnnotations() {
  const known = annotations.value;
  const fault = annotationsFault.value;
  return (
    <Card span={4} title="Annotations" note="newest first">
      {known === undefined && fault !== undefined && <FaultBox fault={fault} onAgain={() => void readAnnotations()} />}
      {known === undefined && fault === undefined && <Loading lines={7} />}
      {known?.length === 0 && (
        <Empty title="None yet">
          What happened on a day, such as a launch, is written on the charts by an analyst. It is listed here then.
        </Empty>
      )}
      {known !== undefined && known.length > 0 && (
        <ul class="newest-annotations" aria-label="Newest annotations">
          {known.slice(0, shownMax).map(({id, at, text, created_by: by}) => (
            <li key={id}>
              <b>{text}</b>
              <span class="faint">
                {annotatedText(at)}, by {by}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
