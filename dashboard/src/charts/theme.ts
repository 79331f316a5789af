// Colours for canvases: what the registered custom properties come to in the theme that is shown.
import {signal} from '@preact/signals';

/** Counts changes of the theme. What draws on a canvas depends on it. */
export const themeEpoch = signal(0);

const changed = (): void => {
  themeEpoch.value += 1;
};
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
new MutationObserver(changed).observe(document.documentElement, {attributeFilter: ['data-theme']});

/** `name` of a custom property that is registered as a colour (design/tokens.css). */
export const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);
