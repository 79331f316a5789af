// The zone that a page counts in. The browser's own comes first among the choices, and is never taken by itself.
import {homeZone, isZone, utc} from '../address/zone';
import {matching, Picker, type PickerOption, type PickerOptions} from './picker';

let zones: readonly PickerOption[] | undefined;

function allZones(): readonly PickerOption[] {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  zones ??= [
    {value: homeZone(), note: 'of the service'},
    ...(own === homeZone() ? [] : [{value: own, note: 'of this browser'}]),
    ...(homeZone() === utc || own === utc ? [] : [{value: utc, note: ''}]),
    ...Intl.supportedValuesOf('timeZone')
      .filter((value) => value !== own && value !== homeZone() && value !== utc)
      .map((value) => ({value, note: ''})),
  ];
  return zones;
}

const useZones = (typed: string | undefined): PickerOptions => ({
  options: typed === undefined ? [] : matching(typed, allZones()),
  isKnown: true,
  none: 'No such zone',
});

export interface ZonePickerProps {
  readonly zone: string;
  readonly onChoose: (zone: string) => void;
}

export function ZonePicker({zone, onChoose}: ZonePickerProps) {
  return (
    <Picker
      label="Time zone"
      placeholder={homeZone()}
      value={zone}
      ownNote=""
      useOptions={useZones}
      isValue={isZone}
      onChoose={onChoose}
    />
  );
}
