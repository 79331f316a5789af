// The fields in which a page is asked: a page that is shared shows none.
import type {ComponentChildren, VNode} from 'preact';
import {isShared} from '../address/base';

export const Question = ({children}: {readonly children: VNode}) => (isShared ? null : children);

/** Card of a page that has all its fields in one list. */
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
