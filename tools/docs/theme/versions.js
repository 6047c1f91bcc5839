// SPDX-License-Identifier: Apache-2.0
// The versions whose documentation lies beside this one, the newest first; add_version.py writes
// the list anew in each of them. A version alone has no neighbours, and no menu.
var ternVersions = [];
