// A start that cannot go on for a reason the operator can mend.
import {OperatorFault} from '../actors/invariant.js';

/** The process ends with code 1. */
export class StartFault extends OperatorFault {}
