// What a webhook is told of one type: whether, and of which names; of events also under which conditions, in one rule or several.
import type {ComponentChildren} from 'preact';
import {isName} from '../address/codec';
import type {Days} from '../address/range';
import {Chips} from '../controls/chips';
import {ConditionList} from '../controls/condition-list';
import {EventPicker} from '../controls/event-picker';
import {matching, Picker, type PickerOptions} from '../controls/picker';
import {useAsked} from '../service/asked';
import {today} from '../service/today';
import {type SubscriptionDraft, wholeSubscription} from './webhook-draft';
import {type NamedThings, type SubscribedType, typeWords} from './webhook-words';

const listedDays = 30;

export interface SubscriptionProps {
  readonly type: SubscribedType;
  /** Empty: the type is not told. */
  readonly subscriptions: readonly SubscriptionDraft[];
  readonly onChange: (subscriptions: readonly SubscriptionDraft[]) => void;
}

export function SubscriptionFields({type, subscriptions, onChange}: SubscriptionProps) {
  const {title, names} = typeWords[type];
  const put = (at: number, changed: Partial<SubscriptionDraft>): void =>
    onChange(subscriptions.map((one, index) => (index === at ? {...one, ...changed} : one)));
  const isMany = subscriptions.length > 1;
  return (
    <div>
      <label class="check">
        <input
          type="checkbox"
          checked={subscriptions.length > 0}
          onChange={({currentTarget}) => onChange(currentTarget.checked ? [wholeSubscription] : [])}
        />
        {title}
      </label>
      {names !== undefined &&
        subscriptions.map((one, at) => (
          <SubscriptionField
            key={at}
            type={type}
            of={isMany ? `${type}, rule ${at + 1}` : type}
            things={names}
            subscription={one}
            onChange={(changed) => put(at, changed)}
            {...(isMany && {onRemove: () => onChange(subscriptions.filter((_, index) => index !== at))})}
          />
        ))}
      {type === 'event.tracked' && subscriptions.length > 0 && (
        <button type="button" class="link told-more" onClick={() => onChange([...subscriptions, wholeSubscription])}>
          Add another rule
        </button>
      )}
    </div>
  );
}

function SubscriptionField({
  type,
  of,
  things,
  subscription: {names, where},
  onChange,
  onRemove,
}: {
  readonly type: SubscribedType;
  readonly of: string;
  readonly things: NamedThings;
  readonly subscription: SubscriptionDraft;
  readonly onChange: (changed: Partial<SubscriptionDraft>) => void;
  readonly onRemove?: () => void;
}) {
  const days: Days = {from: today.peek() - listedDays + 1, to: today.peek()};
  const add = (name: string): void => onChange({names: [...new Set([...names, name])]});
  const label = `Add a name: ${of}`;
  return (
    <fieldset class="told-rule" aria-label={of}>
      <NameList
        names={names}
        none={type === 'report.revised' ? 'Name at least one event:' : `All ${things}. Or only:`}
        of={of}
        onChange={(kept) => onChange({names: kept})}
      >
        {things === 'events' ? (
          <EventPicker label={label} name={undefined} days={days} onChoose={add} />
        ) : (
          <NamePicker label={label} things={things} onChoose={add} />
        )}
      </NameList>
      {type === 'event.tracked' && (
        <ConditionList
          conditions={where}
          keys={{of: 'events', event: names.length === 1 ? names[0] : undefined, days}}
          of={of}
          onChange={(conditions) => onChange({where: conditions})}
        />
      )}
      {onRemove !== undefined && (
        <button type="button" class="link" onClick={onRemove}>
          Remove this rule<span class="visually-hidden"> {of}</span>
        </button>
      )}
    </fieldset>
  );
}

/** Chosen names, and the picker that adds one. */
function NameList({
  names,
  none,
  of,
  onChange,
  children,
}: {
  readonly names: readonly string[];
  /** Stands where no name is chosen. */
  readonly none: string;
  readonly of: string;
  readonly onChange: (names: readonly string[]) => void;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="told-names">
      {names.length === 0 && <span class="help">{none}</span>}
      {names.length > 0 && <Chips texts={names} what="name" of={`of ${of}`} onChange={onChange} />}
      {children}
    </div>
  );
}

const listPaths = {
  'saved funnels': 'v1/funnels',
  alerts: 'v1/alerts',
  'saved reports': 'v1/saved-reports',
} as const;

function NamePicker({
  label,
  things,
  onChoose,
}: {
  readonly label: string;
  readonly things: keyof typeof listPaths;
  readonly onChoose: (name: string) => void;
}) {
  const useNames = (typed: string | undefined): PickerOptions => {
    const [asked] = useAsked<{data: readonly {name: string}[]}>(typed === undefined ? undefined : listPaths[things]);
    const {value, fault} = asked.value;
    return {
      options: matching(
        typed ?? '',
        (value?.data ?? []).map(({name}) => ({value: name, note: ''})),
      ),
      isKnown: value !== undefined || fault !== undefined,
      none: fault?.message ?? (value === undefined ? 'Reading the names' : `There are no ${things} yet`),
    };
  };
  return (
    <Picker
      label={label}
      placeholder={`Choose one of the ${things}`}
      value={undefined}
      ownNote="not there yet"
      useOptions={useNames}
      isValue={isName}
      onChoose={onChoose}
    />
  );
}
