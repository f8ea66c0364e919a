/* What --version prints. */
#ifndef RUNGS_VERSION_H
#define RUNGS_VERSION_H

#define RUNGS_VERSION "0.2.0"

#endif
