// The annotations of the service as marks of charts.
import {useEffect} from 'preact/hooks';
import {annotations, renewAnnotations} from '../service/annotations';
import {publication} from '../service/publication';
import {marksOf} from './annotated';
import {drawMarks} from './mark-drawing';
import {marker} from './marks';

/** Reads them once in each round of publications, as reports do. */
export function useAnnotationMarks(): void {
  const round = publication.value;
  const known = annotations.value;
  useEffect(renewAnnotations, [round]);
  useEffect(() => {
    if (known === undefined) return;
    marker.value = (times, lastDay, zone) => {
      const at = marksOf(known, times, (lastDay + 1) * 86_400, zone);
      return {at, draw: (plot, widthOf) => drawMarks(plot, at, widthOf)};
    };
  }, [known]);
}
