// Dialog of annotations: a list of them, and a form with a day or a moment and a few words.
import {useState} from 'preact/hooks';
import {annotatedText, utcSeconds} from '../charts/annotated';
import {Dialog} from '../controls/dialog';
import {Moment} from '../controls/moment';
import {useSending} from '../controls/sending';
import {annotate, annotations, annotationsFault, deleteAnnotation, readAnnotations} from '../service/annotations';
import {faultOf} from '../service/client';
import {may} from '../service/session';
import type {AnnotationsProps} from './annotations-button';
import './annotations.css';
import {now} from '../service/now';
import {Icon} from './icon';
import {Empty, FaultBox, Loading} from './states';

const textMax = 200;

export function AnnotationsDialog({onClose, ...at}: AnnotationsProps) {
  const known = annotations.value;
  const fault = annotationsFault.value;
  return (
    <Dialog title="Annotations" onClose={onClose}>
      {may('analyst') && <NewAnnotation {...at} />}
      {known === undefined && fault !== undefined && <FaultBox fault={fault} onAgain={() => void readAnnotations()} />}
      {known === undefined && fault === undefined && <Loading />}
      {known?.length === 0 && (
        <Empty title="None yet">Charts show what happened on a day, such as a launch, to everybody who signs in.</Empty>
      )}
      {known !== undefined && known.length > 0 && (
        <ul class="annotations" aria-label="All annotations">
          {known.map((one) => (
            <li key={one.id}>
              <span class="annotation-at">{annotatedText(one.at)}</span>
              <span class="annotation-text">{one.text}</span>
              <span class="faint">
                <Moment iso={one.created_at} /> by {one.created_by}
              </span>
              {may('analyst') && <DeleteAnnotation id={one.id} text={one.text} />}
            </li>
          ))}
        </ul>
      )}
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}

function NewAnnotation({seconds, zone, isHour}: Omit<AnnotationsProps, 'onClose'>) {
  // A bucket of hours is a moment; a longer one is the day that it begins with, which is that date in every zone.
  const asked = seconds !== undefined && isHour ? utcSeconds(zone, seconds) : (seconds ?? now.peek() / 1_000);
  const iso = new Date(asked * 1_000).toISOString();
  const [date, setDate] = useState(iso.slice(0, 10));
  const [time, setTime] = useState(seconds !== undefined && isHour ? iso.slice(11, 16) : '');
  const [text, setText] = useState('');
  const {fault, isBusy, send} = useSending(async () => {
    const failed = faultOf(await annotate(time === '' ? date : `${date}T${time}Z`, text.trim()));
    if (failed === undefined) setText('');
    return failed;
  });
  const isReady = date !== '' && text.trim() !== '' && !isBusy;
  return (
    <form
      class="annotation-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) send();
      }}
    >
      <label for="annotation-text">What happened</label>
      <input
        id="annotation-text"
        autocomplete="off"
        maxLength={textMax}
        value={text}
        onInput={({currentTarget}) => setText(currentTarget.value)}
      />
      <p class="help">
        Everybody who signs in reads it. Names of persons do not belong here: deleting a person changes no annotation.
      </p>
      <div class="annotation-when">
        <label>
          Day
          <input type="date" required value={date} onInput={({currentTarget}) => setDate(currentTarget.value)} />
        </label>
        <label>
          Time in UTC, if it matters
          <input type="time" value={time} onInput={({currentTarget}) => setTime(currentTarget.value)} />
        </label>
        <button type="submit" class="button primary" disabled={!isReady}>
          Annotate
        </button>
      </div>
      {fault !== undefined && <FaultBox fault={fault} />}
    </form>
  );
}

function DeleteAnnotation({id, text}: {readonly id: string; readonly text: string}) {
  const [isAsking, setAsking] = useState(false);
  const {fault, send} = useSending(async () => {
    const failed = faultOf(await deleteAnnotation(id));
    return failed?.code === 'not_found' ? undefined : failed;
  });
  if (fault !== undefined) return <FaultBox fault={fault} onAgain={send} />;
  if (!isAsking)
    return (
      <button type="button" class="quiet" aria-label={`Delete ${text}`} title="Delete" onClick={() => setAsking(true)}>
        <Icon name="Trash" />
      </button>
    );
  return (
    <span class="annotation-delete">
      <button type="button" class="button" onClick={() => setAsking(false)}>
        Keep it
      </button>
      <button type="button" class="button danger" onClick={send}>
        Delete for everybody
      </button>
    </span>
  );
}
