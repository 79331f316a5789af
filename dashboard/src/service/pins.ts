// The pins of this browser. They are kept here until the service stores reports; tabs follow each other.
import {signal} from '@preact/signals';
import {moved, pinsMax, readPins} from '../address/pin-list';

const place = 'millrace-pins';

export const pins = signal(readPins(stored()));

function stored(): string | null {
  try {
    return localStorage.getItem(place);
  } catch {
    return null; // Storage is switched off: pins live as long as the page.
  }
}

addEventListener('storage', ({key, newValue}) => {
  if (key === place) pins.value = readPins(newValue);
});

function keep(next: readonly string[]): void {
  pins.value = next;
  try {
    localStorage.setItem(place, JSON.stringify(next));
  } catch {
    // Not kept, and nothing else is lost.
  }
}

export const isPinned = (pin: string): boolean => pins.value.includes(pin);
export const hasRoom = (): boolean => pins.value.length < pinsMax;

export function togglePin(pin: string): void {
  if (isPinned(pin)) keep(pins.value.filter((one) => one !== pin));
  else if (hasRoom()) keep([...pins.value, pin]);
}

export const movePin = (pin: string, to: number): void => keep(moved(pins.value, pin, to));
