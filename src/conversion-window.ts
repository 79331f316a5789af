// The texts of conversion windows: `[1-9]\d*[smhd]?`, seconds without a letter.

const unitMs: Readonly<Record<string, number>> = {d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000};
export const windowPattern = /^([1-9]\d*)([smhd])?$/;
export const windowRule = 'a number of seconds, or like 30m, 12h, 7d';

/** Undefined for another text. */
export function windowMsOf(text: string): number | undefined {
  const [, amount, unit = 's'] = windowPattern.exec(text) ?? [];
  // No two events are further apart, so a longer window means the same; and JSON has no infinity.
  return amount === undefined ? undefined : Math.min(Number(amount) * unitMs[unit]!, Number.MAX_SAFE_INTEGER);
}
