// A text to be copied, in a box that scrolls: so it can have the focus, and has a name.

export function Snippet({label, text}: {readonly label: string; readonly text: string}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard
    <section class="snippet" tabIndex={0} aria-label={label}>
      {text}
    </section>
  );
}
