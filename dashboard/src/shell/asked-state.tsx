// State of a list that the page asks for again and again: its outline, why it is not known, or that what is known is not renewed.
import type {Asked} from '../service/asked';
import {NotRenewed} from './not-renewed';
import {FaultBox, Loading} from './states';
import './asked-state.css';

export function AskedState({
  value,
  fault,
  onAgain,
  lines,
}: Pick<Asked<unknown>, 'value' | 'fault'> & {readonly onAgain: () => void; readonly lines?: number}) {
  if (value !== undefined) return fault === undefined ? null : <NotRenewed fault={fault} />;
  if (fault !== undefined) return <FaultBox fault={fault} onAgain={onAgain} />;
  return lines === undefined ? <Loading /> : <Loading lines={lines} />;
}
