// When a digest is sent, in words.
import type {Digest} from '../service/digests.js';

export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** `Monday`. */
export const dayText = (day: (typeof weekdays)[number]): string => `${day[0]!.toUpperCase()}${day.slice(1)}`;

/** `09:00`. */
export const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/** `each Monday at 09:00, Europe/Berlin`. */
export const whenText = ({weekday, hour, timezone}: Pick<Digest, 'weekday' | 'hour' | 'timezone'>): string =>
  `each ${weekday === undefined ? 'day' : dayText(weekday)} at ${hourText(hour)}, ${timezone}`;
