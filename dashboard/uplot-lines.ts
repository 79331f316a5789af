// uPlot without what no chart here draws: bars, steps, curves, joins of tables, and its own texts of times. Its default export
// names them, so that no bundler can drop them. The build fails when a new version of uPlot lacks one of these lines.
import type {Plugin} from 'vite';

/** What each becomes. */
const lines: readonly (readonly [line: string, becomes: string])[] = [
  ['	(paths.stepped = stepped);\n', ''],
  ['	(paths.bars    = bars);\n', ''],
  ['	(paths.spline  = monotoneCubic);\n', ''],
  ['	uPlot.join = join;\n', ''],
  ['uPlot.rangeAsinh = rangeAsinh;\n', ''],
  // Every axis here has `values`, and no chart a legend.
  ['	uPlot.fmtDate = fmtDate;\n', ''],
  ['(opts.fmtDate || fmtDate)', 'opts.fmtDate'],
  ['timeAxisVals(_tzDate, timeAxisStamps((ms == 1 ? _timeAxisStampsMs : _timeAxisStampsS), _fmtDate))', 'null'],
  ['timeSeriesVal(_tzDate, timeSeriesStamp(_timeSeriesStamp, _fmtDate))', 'numSeriesVal'],
  ['timeAxisVals(_tzDate, timeAxisStamps(av, _fmtDate))', 'null'],
  ['timeAxisVal(_tzDate, av)', 'null'],
  ['		_timeAxisStamps,\n', '		null,\n'],
];

export const uplotLines = (): Plugin => ({
  name: 'uplot-lines',
  transform: {
    filter: {id: /uPlot\.esm\.js$/},
    handler(code) {
      const missing = lines.find(([line]) => !code.includes(line));
      if (missing !== undefined) this.error(`uPlot has no line "${missing[0].trim()}": see dashboard/uplot-lines.ts`);
      return {code: lines.reduce((left, [line, becomes]) => left.replace(line, becomes), code), map: null};
    },
  },
});
