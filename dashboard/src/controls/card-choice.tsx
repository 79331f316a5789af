// One of a few choices as cards, each with a title and what it means.
import './card-choice.css';

export interface CardOption<Word extends string> {
  readonly word: Word;
  readonly title: string;
  /** Sentences below the title. */
  readonly lines: readonly string[];
}

export function CardChoice<Word extends string>({
  label,
  name,
  value,
  options,
  onChoose,
}: {
  readonly label: string;
  /** Name of the field in its form. */
  readonly name: string;
  readonly value: Word;
  readonly options: readonly CardOption<Word>[];
  readonly onChoose: (word: Word) => void;
}) {
  return (
    <fieldset class="card-choice">
      <legend>{label}</legend>
      {options.map(({word, title, lines}) => (
        <label key={word} class={word === value ? 'chosen' : ''}>
          <input type="radio" name={name} value={word} checked={word === value} onChange={() => onChoose(word)} />
          <strong>{title}</strong>
          {lines.map((line) => (
            <span key={line}>{line}</span>
          ))}
        </label>
      ))}
    </fieldset>
  );
}
