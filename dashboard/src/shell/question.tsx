// The form of a page's question, and the card of one that has all its fields in one list.
import type {ComponentChildren} from 'preact';
import {useState} from 'preact/hooks';
import {Icon} from './icon';
import '../design/builder.css';

/** Where the form has no place beside the answer, the answer comes first: the form is a line of words, which opens it. */
export function QuestionForm({
  words,
  isOpenFirst = false,
  children,
}: {
  /** The question in words. */
  readonly words: string;
  /** The form is open until somebody closes it, as somebody took away all that was asked. */
  readonly isOpenFirst?: boolean;
  readonly children: ComponentChildren;
}) {
  const [chosen, setChosen] = useState<boolean>();
  const isOpen = chosen ?? isOpenFirst;
  return (
    <div class="builder-forms">
      <button type="button" class="builder-line" aria-expanded={isOpen} onClick={() => setChosen(!isOpen)}>
        <span>{words}</span>
        <Icon name="chevronDown" />
      </button>
      <div
        class={isOpen ? 'builder-forms' : 'builder-forms builder-closed'}
        onFocusIn={() => {
          if (isOpen) setChosen(true); // It never closes under the hand.
        }}
      >
        {children}
      </div>
    </div>
  );
}

export function QuestionFields({children}: {readonly children: ComponentChildren}) {
  return (
    <section class="card builder-form" aria-label="What is asked">
      <header>
        <h2>Question</h2>
      </header>
      <div class="builder-rows">{children}</div>
    </section>
  );
}
