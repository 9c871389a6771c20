/* The start folder of the program. A plug-in may change the current folder, but file names stay relative to
 * the start folder.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_HOME_FOLDER_H
#define WR_HOME_FOLDER_H

/* Stores the current folder, at the start of the program. */
void wr_home_folder_keep(void);

/* Changes back to the stored folder, so that the program can open a file by name after a model call. */
void wr_home_folder_return(void);

#endif
