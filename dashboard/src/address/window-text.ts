// The window of a funnel in words: `14 days` for `14d`.
const unitNames: Readonly<Record<string, string>> = {s: 'second', m: 'minute', h: 'hour', d: 'day'};

export function windowText(window: string): string {
  const amount = window.slice(0, -1);
  return `${amount} ${unitNames[window.at(-1)!]}${amount === '1' ? '' : 's'}`;
}
