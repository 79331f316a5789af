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

export function ThemeButton() {
  const shown: Theme = chosen.value ?? (isDark.matches ? 'dark' : 'light');
  const other: Theme = shown === 'dark' ? 'light' : 'dark';
  const choose = (): void => {
    chosen.value = other;
    applyTheme();
    try {
      localStorage.setItem(place, other);
    } catch {
      // Not kept, and nothing else is lost.
    }
  };
  return (
    <button type="button" class="quiet" aria-label={`Use the ${other} theme`} onClick={choose}>
      <Icon name={other === 'dark' ? 'moon' : 'sun'} />
    </button>
  );
}
