// The annotations of a page's charts: listed by a button, made by the key `a` where the crosshair stands. One a page.

import {useState} from 'preact/hooks';
import {homeZone} from '../address/zone';
import {useAnnotationMarks} from '../charts/annotation-marks';
import {crosshair} from '../charts/marks';
import {may} from '../service/session';
import {Icon} from './icon';
import {useKeys} from './keys';
import {later} from './later';

export interface AnnotationsProps {
  /** Start of the bucket that the new one is about: epoch seconds, what clocks of the zone show. Undefined: none was pointed at. */
  readonly seconds: number | undefined;
  readonly zone: string;
  /** Buckets are hours. */
  readonly isHour: boolean;
  readonly onClose: () => void;
}

const AnnotationsDialog = later<AnnotationsProps>(() =>
  import('./annotations-dialog').then(({AnnotationsDialog: Part}) => Part),
);

export function AnnotationsButton({zone = homeZone(), isHour}: {readonly zone?: string; readonly isHour: boolean}) {
  const [open, setOpen] = useState<{readonly seconds: number | undefined}>();
  useAnnotationMarks();
  useKeys({
    a: () => {
      if (may('analyst') && crosshair.peek() !== undefined) setOpen({seconds: crosshair.peek()});
    },
  });
  return (
    <>
      <button
        type="button"
        class="quiet"
        title="Annotations"
        aria-label="Annotations"
        onClick={() => setOpen({seconds: undefined})}
      >
        <Icon name="Flag" />
      </button>
      {open !== undefined && (
        <AnnotationsDialog seconds={open.seconds} zone={zone} isHour={isHour} onClose={() => setOpen(undefined)} />
      )}
    </>
  );
}
