// A start that cannot continue, for a reason that the operator can mend.
import {OperatorFault} from '../actors/invariant.js';

/** Ends the process with code 1. */
export class StartFault extends OperatorFault {}
