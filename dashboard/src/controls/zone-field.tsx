// The zone of a page, as a field of its form. Its script, which lists all zones, comes after the page.
import {later} from '../shell/later';
import {Field} from './options';
import type {ZonePickerProps} from './zone-picker';

const ZonePicker = later<ZonePickerProps>(() => import('./zone-picker').then(({ZonePicker: Part}) => Part));

export const ZoneField = (props: ZonePickerProps) => (
  <Field label="Time zone">
    <ZonePicker {...props} />
  </Field>
);
