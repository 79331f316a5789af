// The icons of the dashboard as one sprite, out of Heroicons (MIT). A page shows one with <use>, so no markup is parsed at run time.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import type {Plugin} from 'vite';

const files = {
  home: 'home',
  trends: 'presentation-chart-line',
  funnel: 'funnel',
  userGroup: 'user-group',
  users: 'users',
  bolt: 'bolt',
  bookmark: 'bookmark',
  server: 'server-stack',
  chartBar: 'chart-bar',
  key: 'key',
  shield: 'shield-check',
  calendar: 'calendar',
  chevronDown: 'chevron-down',
  chevronUp: 'chevron-up',
  code: 'command-line',
  table: 'table-cells',
  pause: 'pause',
  play: 'play',
  copy: 'clipboard-document',
  check: 'check',
  plus: 'plus',
  close: 'x-mark',
  trash: 'trash',
  rotate: 'arrow-path',
  warning: 'exclamation-triangle',
  search: 'magnifying-glass',
  signOut: 'arrow-right-start-on-rectangle',
  download: 'arrow-down-tray',
  sun: 'sun',
  moon: 'moon',
  chevronRight: 'chevron-right',
  chevronLeft: 'chevron-left',
  sparkles: 'sparkles',
} as const;
export type IconName = keyof typeof files;

const require = createRequire(import.meta.url);
const symbol = ([id, file]: [string, string]): string => {
  const text = readFileSync(require.resolve(`heroicons/24/outline/${file}.svg`), 'utf8');
  const inner = /<svg[^>]*>([\s\S]*)<\/svg>/.exec(text)![1]!.trim();
  // The look of the lines is in parts.css (.icon), once for all icons.
  return `<symbol id="${id}" viewBox="0 0 24 24">${inner.replaceAll(/ stroke-line(?:cap|join)="round"/g, '')}</symbol>`;
};

export const iconSprite = (): Plugin => ({
  name: 'icon-sprite',
  generateBundle() {
    this.emitFile({
      type: 'asset',
      fileName: 'assets/icons.svg',
      source: `<svg xmlns="http://www.w3.org/2000/svg">${Object.entries(files).map(symbol).join('')}</svg>`,
    });
  },
});
