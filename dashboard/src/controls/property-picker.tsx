// The name of a property of events or of a trait of users, chosen among those that occur; a nested one is typed with dots.
import {flatOf} from '../../../src/asks/question/flat.js';
import type {PropertiesAnswer, TraitsAnswer} from '../../../src/edge/answers/lists.js';
import {isName} from '../address/codec';
import {type Keys, keysQuestion} from '../address/report-address';
import {percent} from '../charts/format';
import {useAsked} from '../service/asked';
import {matching, Picker, type PickerOption, type PickerOptions} from './picker';

const askedMax = 200;
const traitHead = 'trait:';

interface Props {
  readonly label: string;
  readonly value: string | undefined;
  readonly isFirstFocus?: boolean;
  readonly isRequired?: boolean;
  readonly onChoose: (value: string) => void;
}

/** `isNumber`: only keys with numbers among their values are listed. */
export function PropertyPicker({
  keys,
  isNumber = false,
  ...props
}: Props & {readonly keys: Keys; readonly isNumber?: boolean}) {
  return (
    <Picker
      {...props}
      placeholder={keys.of === 'users' ? 'Choose a trait' : 'Choose a property'}
      ownNote="not in the list"
      useOptions={(typed) => useKeys(keys, typed, isNumber)}
      isValue={isName}
    />
  );
}

/** Picker of a breakdown: a property, or `trait:` and the name of a trait, as the API takes it. */
export function BreakdownPicker({
  keys,
  placeholder = 'Property or trait',
  ...props
}: Props & {readonly keys: Keys; readonly placeholder?: string | undefined}) {
  const useBoth = (typed: string | undefined): PickerOptions => {
    const properties = useKeys(keys, typed, false);
    const traits = useKeys({of: 'users'}, typed, false);
    const options = traits.options.map(({value, note}) => ({
      value: traitHead + value,
      label: value,
      note: `trait, ${note}`,
    }));
    return {...properties, options: [...properties.options, ...options]};
  };
  return (
    <Picker
      {...props}
      shown={props.value?.startsWith(traitHead) ? `${props.value.slice(traitHead.length)} (trait)` : props.value}
      placeholder={placeholder}
      ownNote="not in the list"
      useOptions={useBoth}
      isValue={isName}
    />
  );
}

function useKeys(keys: Keys, typed: string | undefined, isNumber: boolean): PickerOptions {
  const [all] = useAsked<PropertiesAnswer | TraitsAnswer>(
    typed === undefined ? undefined : flatOf(keysQuestion(keys, askedMax)),
  );
  const isMore = all.value.value?.has_more === true && typed !== undefined && typed !== '';
  const [begun] = useAsked<PropertiesAnswer | TraitsAnswer>(
    isMore ? flatOf(keysQuestion(keys, askedMax, typed)) : undefined,
  );
  const {value, fault} = all.value;
  const listed = [...(value?.data ?? []), ...(isMore ? (begun.value.value?.data ?? []) : [])];
  const options = listed
    .filter(({types}) => !isNumber || types.number !== undefined)
    .map((one): PickerOption => ({value: 'trait' in one ? one.trait : one.property, note: noteOf(one)}));
  const words = keys.of === 'users' ? 'No user has a trait' : 'No event has a property in these days';
  return {
    options: matching(typed ?? '', options),
    isKnown: value !== undefined || fault !== undefined,
    none: fault?.message ?? (value === undefined ? 'Reading the list' : words),
  };
}

/** `86.0 %, number`. */
const noteOf = ({share, types}: PropertiesAnswer['data'][number] | TraitsAnswer['data'][number]): string =>
  [percent(share), ...Object.keys(types).filter((type) => type !== 'null')].slice(0, 3).join(', ');
