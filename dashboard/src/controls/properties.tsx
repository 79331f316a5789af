// Properties at a glance: keys faint, values in ink; opened, a table of them with what filters by a value, and the JSON behind a button.
import {useState} from 'preact/hooks';
import type {Condition} from '../address/conditions';
import {CopyButton} from './copy-button';
import {Snippet} from './snippet';
import './properties.css';

type Properties = Readonly<Record<string, unknown>>;

/** Shown of one event in its line: the rest is one click away. */
const shownMax = 12;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** `more`: properties that are not among these. */
export function PropertiesLine({properties, more = 0}: {readonly properties: Properties; readonly more?: number}) {
  const all = Object.entries(properties);
  const left = more + Math.max(0, all.length - shownMax);
  return (
    <span class="pairs">
      {all.slice(0, shownMax).map(([key, value]) => (
        <span key={key}>
          <span class="faint">{key}</span> {textOf(value)}{' '}
        </span>
      ))}
      {left > 0 && <span class="faint">{left} more</span>}
    </span>
  );
}

export function PropertiesTable({
  properties,
  whole,
  onFilter,
}: {
  readonly properties: Properties;
  /** What the JSON is of. */
  readonly whole: object;
  /** Absent: the list has no filter. */
  readonly onFilter?: (condition: Condition) => void;
}) {
  const [isJson, setJson] = useState(false);
  const rows = Object.entries(properties);
  return (
    <div class="properties">
      {rows.length === 0 && <p class="faint">No properties</p>}
      {rows.length > 0 && (
        <table class="grid-table">
          <tbody>
            {rows.map(([key, value]) => (
              <tr key={key}>
                <th scope="row">{key}</th>
                <td>{textOf(value)}</td>
                {onFilter && (
                  <td class="only">
                    <button type="button" class="link" onClick={() => onFilter(onlyThis(key, value))}>
                      Filter<span class="visually-hidden"> by this value of {key}</span>
                    </button>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div class="buttons">
        <button type="button" class="button" aria-pressed={isJson} onClick={() => setJson(!isJson)}>
          JSON
        </button>
        <CopyButton text={JSON.stringify(whole)} label="Copy" what="Copy the event as JSON" />
      </div>
      {isJson && <Snippet label="The whole event" text={JSON.stringify(whole, null, 2)} />}
    </div>
  );
}

/** Null, lists and objects have no text to compare with. */
function onlyThis(property: string, value: unknown): Condition {
  if (value === null) return {property, op: 'null', values: []};
  return typeof value === 'object' ? {property, op: 'set', values: []} : {property, op: 'eq', values: [String(value)]};
}
