// Light or dark: the system's choice, until a person makes another one. It is kept in this browser alone.
import {signal} from '@preact/signals';
import {Icon} from './icon';

type Theme = 'light' | 'dark';
const place = 'millrace-theme';
const isDark = matchMedia('(prefers-color-scheme: dark)');

const chosen = signal<Theme | undefined>(stored());

function stored(): Theme | undefined {
  try {
    const text = localStorage.getItem(place);
    return text === 'light' || text === 'dark' ? text : undefined;
  } catch {
    return undefined; // Storage is switched off: the choice lives as long as the page.
  }
}

export function applyTheme(): void {
  const root = document.documentElement;
  if (chosen.value === undefined) delete root.dataset.theme;
  else root.dataset.theme = chosen.value;
}

const shown = (): Theme => chosen.value ?? (isDark.matches ? 'dark' : 'light');
const other = (): Theme => (shown() === 'dark' ? 'light' : 'dark');

export function switchTheme(): void {
  const theme = other();
  chosen.value = theme;
  applyTheme();
  try {
    localStorage.setItem(place, theme);
  } catch {
    // Without storage the choice lives as long as the page.
  }
}

export function ThemeButton() {
  return (
    <button type="button" class="quiet" aria-label={`Use the ${other()} theme`} onClick={switchTheme}>
      <Icon name={other() === 'dark' ? 'moon' : 'sun'} />
    </button>
  );
}
