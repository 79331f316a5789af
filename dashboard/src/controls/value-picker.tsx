// A value of a property or a trait, chosen among those that occur, most frequent first; any other text may be typed.
import {flatOf} from '../../../src/asks/question/flat.js';
import type {ValuesAnswer} from '../../../src/edge/answers/lists.js';
import {type Keys, valuesQuestion} from '../address/report-address';
import {count} from '../charts/format';
import {useAsked} from '../service/asked';
import {matching, Picker, type PickerOption, type PickerOptions} from './picker';

const askedMax = 100;

export function ValuePicker({
  label,
  keys,
  property,
  value,
  isFirstFocus = false,
  isRequired = false,
  onChoose,
}: {
  readonly label: string;
  readonly keys: Keys;
  readonly property: string;
  readonly value: string | undefined;
  readonly isFirstFocus?: boolean;
  readonly isRequired?: boolean;
  readonly onChoose: (value: string) => void;
}) {
  const useValues = (typed: string | undefined): PickerOptions => {
    const [all] = useAsked<ValuesAnswer>(
      typed === undefined ? undefined : flatOf(valuesQuestion(keys, property, askedMax)),
    );
    const isMore = all.value.value?.has_more === true && typed !== undefined && typed !== '';
    const [begun] = useAsked<ValuesAnswer>(
      isMore ? flatOf(valuesQuestion(keys, property, askedMax, typed)) : undefined,
    );
    const {value: answer, fault} = all.value;
    const listed = [...(answer?.data ?? []), ...(isMore ? (begun.value.value?.data ?? []) : [])];
    const options = listed
      .filter((one) => one.value !== undefined)
      .map((one): PickerOption => ({value: one.value!, note: count(one.count)}));
    return {
      options: matching(typed ?? '', options),
      isKnown: answer !== undefined || fault !== undefined,
      none: fault?.message ?? (answer === undefined ? 'Reading the values' : 'No text, number or boolean'),
    };
  };
  return (
    <Picker
      label={label}
      placeholder="Value"
      value={value}
      isFirstFocus={isFirstFocus}
      isRequired={isRequired}
      ownNote="not in the list"
      useOptions={useValues}
      isValue={(text) => text.length > 0 && text.length <= 1_000}
      onChoose={onChoose}
    />
  );
}
