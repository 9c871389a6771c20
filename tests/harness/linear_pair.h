/* Tables of a config: the linear pair u' = -u + v/2, v' = -v - u/2 from u = 1, v = 3, in two subsystems (bench problem of
 * P. Meisrimel's asynch-WFR, models/dahlquist/readme.md). A test appends this text to the other tables of its config.
 */
#ifndef WR_LINEAR_PAIR_H
#define WR_LINEAR_PAIR_H

#define LINEAR_PAIR_PARTS                                                                          \
    "[[component]]\nname = \"u\"\nmodel = \"dahlquist\"\n"                                         \
    "parameters = { a = -1.0, b = 0.5 }\nstart = { x = 1.0 }\n"                                    \
    "[[component]]\nname = \"v\"\nmodel = \"dahlquist\"\n"                                         \
    "parameters = { a = -1.0, b = -0.5 }\nstart = { x = 3.0 }\n"                                   \
    "[[subsystem]]\nname = \"U\"\ncomponents = [\"u\"]\n"                                          \
    "[[subsystem]]\nname = \"V\"\ncomponents = [\"v\"]\n"
#define LINEAR_PAIR_TO_U "[[connection]]\nfrom = \"v.x\"\nto = \"u.u\"\n"
#define LINEAR_PAIR_TO_V "[[connection]]\nfrom = \"u.x\"\nto = \"v.u\"\n"
#define LINEAR_PAIR LINEAR_PAIR_PARTS LINEAR_PAIR_TO_U LINEAR_PAIR_TO_V

#endif
