// uPlot without what no chart here draws: bars, steps, curves, and joins of tables. They hang on its default export, where no
// bundler can see that nobody asks for them. The build fails when a new version of uPlot says these lines in another way.
import type {Plugin} from 'vite';

const unused = [
  '	(paths.stepped = stepped);\n',
  '	(paths.bars    = bars);\n',
  '	(paths.spline  = monotoneCubic);\n',
  '	uPlot.join = join;\n',
  'uPlot.rangeAsinh = rangeAsinh;\n',
];

export const uplotLines = (): Plugin => ({
  name: 'uplot-lines',
  transform: {
    filter: {id: /uPlot\.esm\.js$/},
    handler(code) {
      const missing = unused.find((line) => !code.includes(line));
      if (missing !== undefined) this.error(`uPlot has no line "${missing.trim()}": see dashboard/uplot-lines.ts`);
      return {code: unused.reduce((left, line) => left.replace(line, ''), code), map: null};
    },
  },
});
