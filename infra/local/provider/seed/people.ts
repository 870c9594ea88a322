import type { Random } from "../../core/random.ts";

const FIRST = [
  ..."Ada Ben Chiara Dara Emil Fatima Goran Hana Ivo Jana Kofi Lena Mateo Nina Omar Petra Quentin Rosa".split(" "),
  ..."Sven Tara Ulla Viktor Wanda Xenia Yusuf Zoe Jürgen Zoë Łukasz Søren Chloé Nguyễn".split(" "),
];
const LAST = [
  ..."Albrecht Bianchi Costa Dubois Eriksen Fischer García Hansen Ito Jansen Kowalski Larsen Meyer".split(" "),
  ..."Novak Okafor Petrov Quinn Rossi Schmidt Tanaka Ueda Varga Weber Xu Yilmaz Zhang".split(" "),
];

const plain = (name: string) =>
  name
    .normalize("NFKD")
    .replace(/[^A-Za-z]/g, "")
    .toLowerCase();

/** An invented person. A few have no name, and a few have no address. */
export const generatePerson = (random: Random): { name: string | null; email: string | null; phone: string | null } => {
  const [first, last] = [random.pick(FIRST), random.pick(LAST)];
  const number = random.int(10_000);
  return {
    name: random.chance(0.03) ? null : `${first} ${last}`,
    email: random.chance(0.03) ? null : `${plain(first)}.${plain(last)}${number}@example.com`,
    phone: random.chance(0.3) ? `+1555010${String(number).padStart(4, "0")}` : null,
  };
};
