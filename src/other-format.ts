// What an operator does with data that another version wrote in a format that this one does not read (docs/operating.md, Upgrade).
import {commandLine} from './command-line.js';

export const wayOn = `to go on, start the version that wrote it and run "${commandLine('export', 'FILE')}", then start this version with an empty DATA_DIR and run "${commandLine('import', 'FILE')}"`;
