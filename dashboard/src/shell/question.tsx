// Card of a form that has all its fields in one list.
import type {ComponentChildren} from 'preact';

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
