// A page that is asked nothing by its address: every parameter is named as one that it does not know.
import {useAddress} from '../service/use-address';
import {AddressProblems} from './address-problems';

const none = {} as const;

export function NoParameters() {
  const {problems, ask} = useAddress(none);
  return <AddressProblems problems={problems} onDrop={() => ask({})} />;
}
