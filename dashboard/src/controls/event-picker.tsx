// The name of an event, chosen among those that reports know or that are planned; any other name may be typed.

import {flatOf} from '../../../src/asks/question/flat.js';
import type {NamesAnswer} from '../../../src/edge/answers/lists.js';
import {isName} from '../address/codec';
import type {Days} from '../address/range';
import {namesQuestion} from '../address/report-address';
import {useAsked} from '../service/asked';
import {useDescribedNames} from '../service/described-names';
import {describedOptions} from './described-options';
import {matching, Picker, type PickerOptions} from './picker';

/** More names are found by typing. */
const begunMax = 50;
const askedMax = 200;

export function EventPicker({
  label,
  name,
  days,
  isFirstFocus = false,
  onChoose,
}: {
  readonly label: string;
  /** Undefined: none is chosen yet. */
  readonly name: string | undefined;
  /** The names are shown with their counts in these days. */
  readonly days: Days;
  readonly isFirstFocus?: boolean;
  readonly onChoose: (name: string) => void;
}) {
  const useNames = (typed: string | undefined): PickerOptions => {
    const [all] = useAsked<NamesAnswer>(typed === undefined ? undefined : flatOf(namesQuestion(days, askedMax)));
    // The service knows more names than were asked for: those that begin so come from there.
    const isMore = all.value.value?.has_more === true && typed !== undefined && typed !== '';
    const [begun] = useAsked<NamesAnswer>(isMore ? flatOf(namesQuestion(days, begunMax, typed)) : undefined);
    const described = useDescribedNames(typed !== undefined);
    const {value, fault} = all.value;
    const names = [...(value?.data ?? []), ...(isMore ? (begun.value.value?.data ?? []) : [])];
    return {
      options: matching(typed ?? '', describedOptions(names, described)),
      isKnown: value !== undefined || fault !== undefined,
      none: fault?.message ?? (value === undefined ? 'Reading the names' : 'No event in these days'),
    };
  };
  return (
    <Picker
      label={label}
      placeholder="Choose an event"
      value={name}
      isFirstFocus={isFirstFocus}
      ownNote="not in these days"
      useOptions={useNames}
      isValue={isName}
      onChoose={onChoose}
    />
  );
}
