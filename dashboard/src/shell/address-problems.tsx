// Parts of the address that mean nothing; most addresses have none.
import {later} from './later';
import type {ProblemListProps} from './problem-list';

const ProblemList = later<ProblemListProps>(() => import('./problem-list').then(({ProblemList: List}) => List));

export const AddressProblems = (props: ProblemListProps) =>
  props.problems.length === 0 ? null : <ProblemList {...props} />;
