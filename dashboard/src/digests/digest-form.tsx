// Makes a digest, or changes one: what is sent, when, and to whom.
import {useEffect, useState} from 'preact/hooks';
import {homeZone} from '../address/zone';
import {DialogForm} from '../controls/dialog-form';
import {Options} from '../controls/options';
import {ZoneField} from '../controls/zone-field';
import {boards, unsavedBoard, useBoards} from '../service/boards';
import {changeDigest, createDigest, type Digest} from '../service/digests';
import {readSavedReports, savedReports} from '../service/saved-reports';
import {useAudience} from '../webhooks/use-audience';
import {dayText, hourText, weekdays} from './digest-text';

const hours = Array.from({length: 24}, (_, hour) => [String(hour), hourText(hour)] as const);
const usualHour = 9;

type Day = NonNullable<Digest['weekday']> | 'each day';

/** Beginnings of digests that many want, for a list without any. */
export const templates: readonly {readonly title: string; readonly day: Day; readonly hour: number}[] = [
  {title: 'Each Monday at 09:00', day: 'monday', hour: usualHour},
  {title: 'Each day at 09:00', day: 'each day', hour: usualHour},
  {title: 'Each Friday at 16:00', day: 'friday', hour: 16},
];

export interface DigestFormProps {
  /** Absent: makes a new one. */
  readonly digest?: Digest;
  /** The saved report or board; undefined: it is chosen here. */
  readonly of: string | undefined;
  /** When a new one is sent, until somebody chooses otherwise. */
  readonly begun?: {readonly day: Day; readonly hour: number} | undefined;
  readonly onClose: () => void;
}

const usualTime = {day: 'each day', hour: usualHour} as const;

export function DigestForm({digest, of: given, begun = usualTime, onClose}: DigestFormProps) {
  useEffect(() => void readSavedReports(), []);
  useBoards();
  const [of, setOf] = useState(given ?? '');
  const [day, setDay] = useState<Day>(digest === undefined ? begun.day : (digest.weekday ?? 'each day'));
  const [hour, setHour] = useState(digest?.hour ?? begun.hour);
  const [timezone, setZone] = useState(digest?.timezone ?? homeZone());
  const [endpoints, setEndpoints] = useState<readonly string[] | undefined>(digest?.endpoints);
  const choices = [
    ...(savedReports.value ?? []).map(({id, name}) => [id, name] as const),
    ...(boards.value ?? []).filter((one) => one !== unsavedBoard).map(({id, name}) => [id, `Board: ${name}`] as const),
  ];
  const isKnown = choices.some(([id]) => id === of);
  const audience = useAudience({told: {of, endpoints}, of: 'digests', onChange: setEndpoints});
  const form = (
    <DialogForm
      title={digest === undefined ? 'Send as a digest' : 'Change the digest'}
      actText={digest === undefined ? 'Create' : 'Change'}
      isReady={of !== ''}
      act={async () => {
        const members = {
          ...{of, hour, timezone},
          weekday: day === 'each day' ? null : day,
          endpoints: endpoints ?? null,
        };
        const fault = await (digest === undefined ? createDigest(members) : changeDigest(digest, members));
        if (fault === undefined) onClose();
        return fault;
      }}
      onClose={onClose}
    >
      <Options
        label="Saved report or board"
        value={of}
        options={[
          ...(isKnown ? [] : [[of, of === '' ? 'Choose one' : (digest?.name ?? 'Reading it')] as const]),
          ...choices,
        ]}
        onChoose={setOf}
      />
      <Options
        label="On"
        value={day}
        options={[['each day', 'each day'], ...weekdays.map((one) => [one, dayText(one)] as const)]}
        onChoose={setDay}
      />
      <Options label="At" value={String(hour)} options={hours} onChoose={(text) => setHour(Number(text))} />
      <ZoneField zone={timezone} onChoose={setZone} />
      {of !== '' && audience.fields}
      <p class="help">
        Its numbers are of finished days, beside those of the range before. What is missed while the service is down
        comes once, late.
      </p>
    </DialogForm>
  );
  return (
    <>
      {form}
      {audience.dialog}
    </>
  );
}
