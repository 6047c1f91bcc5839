// SPDX-License-Identifier: Apache-2.0
// Symbol.dispose and Symbol.asyncDispose for engines that lack them, where code that was compiled
// for such engines looks. Classes read them when they are defined, so each entry of the package
// imports this file before all others.
interface DisposeSymbols {
  dispose?: symbol;
  asyncDispose?: symbol;
}

function addSymbol(name: keyof DisposeSymbols): void {
  if ((Symbol as DisposeSymbols)[name]) return;
  Object.defineProperty(Symbol, name, { value: Symbol.for(`Symbol.${name}`) });
}

addSymbol('dispose');
addSymbol('asyncDispose');
