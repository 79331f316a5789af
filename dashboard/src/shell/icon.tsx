import type {IconName, MoreIconName} from '../../icons';
import {dashboardPath} from '../address/base';

export type {IconName};

const moreNames = 'pause play copy check plus trash rotate chevronRight chevronLeft sparkles rename flag'.split(
  ' ',
) as MoreIconName[];

export function Icon({name}: {readonly name: IconName}) {
  const sprite = moreNames.includes(name as MoreIconName) ? 'more-icons' : 'icons';
  return (
    <svg class="icon" aria-hidden="true">
      <use href={`${dashboardPath}/assets/${sprite}.svg#${name}`} />
    </svg>
  );
}
